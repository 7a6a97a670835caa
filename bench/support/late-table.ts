import type { ScanSource, Store } from '../../src/core/store-port.ts';
import { sleep } from '../../src/foundation/runtime.ts';

interface LateTable {
  store: Store & ScanSource;
  calls: number;
}

export function answeringLate(store: Store & ScanSource, milliseconds: number): LateTable {
  const table: LateTable = {
    calls: 0,
    store: new Proxy<Store & ScanSource>(store, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== 'function') return member;
        return async (...parameters: unknown[]) => {
          table.calls += 1;
          await sleep(milliseconds);
          return await member.apply(target, parameters);
        };
      },
    }),
  };
  return table;
}
