/**
 * Header of a record that an output has brought about (P3): `<group>/<partition>/<commit>/<number>`, which names the task that wrote
 * it, the number of its commit in that partition, and the record's own in the commit. Once for good.
 */
export const ROUTE_HEADER = 'flatline-route';
