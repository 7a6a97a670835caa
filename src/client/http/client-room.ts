/** Bytes of events that wait for all clients of a handler together. Beyond them another client is refused, or one that waits let go. */
export const MAX_HELD_BYTES = 67_108_864;

/** The room that the clients of a handler share. */
export class ClientRoom {
  private clients = 0;
  private heldBytes = 0;

  constructor(private readonly maxClients: number) {}

  /** Takes a client in, if there is room for one. */
  enter(): boolean {
    if (this.clients >= this.maxClients || this.isFull) return false;
    this.clients += 1;
    return true;
  }

  leave(): void {
    this.clients -= 1;
  }

  /** True if all that may wait waits by now. */
  get isFull(): boolean {
    return this.heldBytes >= MAX_HELD_BYTES;
  }

  /** Tells whether more bytes can wait. A client that is alone may have an event of any size. */
  hasRoomFor(bytes: number): boolean {
    return this.heldBytes === 0 || this.heldBytes + bytes <= MAX_HELD_BYTES;
  }

  /** Notes bytes that wait; below zero: that wait no more. */
  hold(bytes: number): void {
    this.heldBytes += bytes;
  }
}
