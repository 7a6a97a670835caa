import { EdgeloomError } from '../errors.ts';
import type { ScanSource, Store } from './port.ts';

/** A store of which only single items and partitions can be read: every other call is refused. */
export function readOnlyStore(reads: Pick<Store, 'get' | 'getMany' | 'query'>): Store & ScanSource {
  const refuse = async (): Promise<never> => {
    throw new EdgeloomError('read-only', 'Only items and partitions can be read here.');
  };
  return {
    get: (key, options) => reads.get(key, options),
    getMany: (keys, options) => reads.getMany(keys, options),
    query: (request) => reads.query(request),
    scan: refuse,
    update: refuse,
    transact: refuse,
    put: refuse,
    delete: refuse,
    writeMany: refuse,
    change: refuse,
    changeAll: refuse,
  };
}
