/** What is made once for a run of the tests, and how it is taken away. */
export interface Made<T> {
  value: T;
  undo?: () => Promise<void> | void;
}

interface Shared {
  made: Promise<Made<unknown>>;
  users: number;
}

/** Each project loads its global setups for itself; what they share is kept where all of them find it. */
const KEY = Symbol.for('edgeloom.tests.shared');
const kept = globalThis as { [KEY]?: Map<string, Shared> };

/**
 * Gives what the first project that asks for a name makes, to each that asks for it. The last one that undoes it takes it away. It rejects as
 * `make` does.
 */
export async function shared<T>(
  name: string,
  make: () => Promise<Made<T>>,
): Promise<{ value: T; undo: () => Promise<void> }> {
  kept[KEY] ??= new Map();
  const all = kept[KEY];
  const own = all.get(name) ?? { made: make(), users: 0 };
  all.set(name, own);
  own.users += 1;
  // A name stands for one type.
  const { value, undo } = (await own.made) as Made<T>;
  return {
    value,
    undo: async () => {
      own.users -= 1;
      if (own.users > 0) return;
      all.delete(name);
      await undo?.();
    },
  };
}
