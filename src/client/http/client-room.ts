/** Bytes of waiting events over all clients. At this bound, new clients are refused, and a client whose next event would exceed the bound is dropped. */
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

  /** If nothing waits, an event of any size is allowed. */
  hasRoomFor(bytes: number): boolean {
    return this.heldBytes === 0 || this.heldBytes + bytes <= MAX_HELD_BYTES;
  }

  hold(bytes: number): void {
    this.heldBytes += bytes;
  }
}
