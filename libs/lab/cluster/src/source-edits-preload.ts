// Loaded by `node --import` before a program, with the edits of its sources in its own URL (source-edits.ts).
import { editSources, type SourceEdit } from './source-edits.ts';

const edits = new URL(import.meta.url).searchParams.get('edits') ?? '[]';
editSources(JSON.parse(edits) as SourceEdit[]);
