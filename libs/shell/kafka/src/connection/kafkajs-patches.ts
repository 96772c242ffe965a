// Patches inside kafkajs 2.2.4 itself (its source is frozen, so a patch stays valid). Applied on import.
import Connection from 'kafkajs/src/network/connection.js';
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

/**
 * kafkajs 16: the queue reschedules its check for throttled requests for ever, every millisecond and with a negative
 * delay, on every idle connection. A check is needed only while something is pending: `push` schedules one itself.
 */
// oxlint-disable-next-line typescript/unbound-method -- called with the queue as `this` below
const scheduleCheck = RequestQueue.prototype.scheduleCheckPendingRequests;
RequestQueue.prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
  if (this.pending.length > 0) scheduleCheck.call(this);
};

/**
 * kafkajs keeps what is left over after an answer, even where that is nothing, and then copies the next answer to put it
 * behind. Answers come whole (FrameAssembler), so nothing is ever left over.
 */
// oxlint-disable-next-line typescript/unbound-method -- called with the connection as `this` below
const processData = Connection.prototype.processData;
Connection.prototype.processData = function (this: Connection, data: Buffer): void {
  if (this.bytesBuffered === 0) this.chunks.length = 0;
  processData.call(this, data);
};
