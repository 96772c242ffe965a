export { binIn, exactSketch, formerSketch } from './exact-sketch.ts';
