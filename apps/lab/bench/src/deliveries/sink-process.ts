// A web service that takes whatever is posted, in a process of its own (`fork(this)`). It reports its address, then answers each
// message with how many requests it has taken.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const TAKEN = 204;
let taken = 0;

const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => {
    taken += 1;
    response.writeHead(TAKEN).end();
  });
});
// Whoever posts keeps its connections while it does other things.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('message', () => process.send!(taken));
process.once('disconnect', () => process.exit(0));
process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`);
