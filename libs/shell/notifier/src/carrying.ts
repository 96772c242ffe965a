// Carries outputs, over any log and any sockets: for worlds of simulated clusters.
export { CarriedPipeline } from './courier/carried-pipeline.ts';
export type { Way } from './courier/carried.ts';
export type { Resolve } from './guard/resolver.ts';
export { type HttpAgent, HttpSender, type HttpSenderParts } from './sending/http-sender.ts';
