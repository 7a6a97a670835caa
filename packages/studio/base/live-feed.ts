import type { RunningFeed } from '../../../src/client/feed/start-feed.ts';
import type { WatchableFeed } from '../../../src/client/feed/watchable-feed.ts';

/** A hold on the feed: it runs until all holds are released. */
export interface FeedHold {
  feed: Promise<WatchableFeed>;
  release(): void;
}

/** The feed of a studio. Reading a stream takes from what its consumer can read, so it runs only while somebody watches. */
export class LiveFeed {
  private running: Promise<RunningFeed> | undefined;
  private holds = 0;
  private stopped: Promise<unknown> = Promise.resolve();

  constructor(private readonly start: () => Promise<RunningFeed>) {}

  /** Takes hold of the feed, which starts if it does not run. */
  hold(): FeedHold {
    this.holds += 1;
    this.running ??= this.begin();
    let isReleased = false;
    return {
      feed: this.running.then(({ feed }) => feed),
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.holds -= 1;
        if (this.holds === 0) this.stop();
      },
    };
  }

  /** Resolves when a feed that nobody holds any more has stopped. */
  async settled(): Promise<void> {
    await this.stopped;
  }

  private begin(): Promise<RunningFeed> {
    const begun = this.start();
    const forget = (): void => {
      // The next one that watches starts another.
      if (this.running === begun) this.running = undefined;
    };
    begun.then(({ ended }) => ended).then(forget, forget);
    return begun;
  }

  private stop(): void {
    const stopping = this.running;
    this.running = undefined;
    this.stopped = Promise.resolve(stopping).then(
      (running) => running?.stop(),
      // Who held it has got the error.
      () => undefined,
    );
  }
}
