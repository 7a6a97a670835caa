/**
 * Bytes of events that may wait for all clients together. At this bound, new clients are refused, and a client is
 * dropped if its next event would exceed it.
 */
export const MAX_HELD_BYTES = 67_108_864;

export class ClientRoom {
  private clients = 0;
  private heldBytes = 0;

  constructor(private readonly maxClients: number) {}

  enter(): boolean {
    if (this.clients >= this.maxClients || this.isFull) return false;
    this.clients += 1;
    return true;
  }

  leave(): void {
    this.clients -= 1;
  }

  get isFull(): boolean {
    return this.heldBytes >= MAX_HELD_BYTES;
  }

  /** Allows any event if nothing else waits, because an event larger than the bound could otherwise never be sent. */
  hasRoomFor(bytes: number): boolean {
    return this.heldBytes === 0 || this.heldBytes + bytes <= MAX_HELD_BYTES;
  }

  hold(bytes: number): void {
    this.heldBytes += bytes;
  }
}
