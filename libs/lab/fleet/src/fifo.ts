/** A queue whose `shift` costs the same at any length. */
export class Fifo<T> {
  #incoming: T[] = [];
  #outgoing: T[] = [];

  push(value: T): void {
    this.#incoming.push(value);
  }

  shift(): T | undefined {
    if (this.#outgoing.length === 0) {
      this.#outgoing = this.#incoming.reverse();
      this.#incoming = [];
    }
    return this.#outgoing.pop();
  }
}
