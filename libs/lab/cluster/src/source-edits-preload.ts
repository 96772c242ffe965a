// Loaded by `node --import` before a program: its sources are loaded with the edits of the variable (source-edits.ts).
import { editSources, SOURCE_EDITS, type SourceEdit } from './source-edits.ts';

editSources(JSON.parse(process.env[SOURCE_EDITS] ?? '[]') as SourceEdit[]);
