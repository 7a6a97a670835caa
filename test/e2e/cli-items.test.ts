import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandRun, type DevServer, edgeloom, startDev } from '../support/command.ts';

let dev: DevServer;

beforeAll(async () => {
  dev = await startDev();
});

afterAll(async () => {
  expect(await dev.interrupt()).toBe(0);
});

/** Runs against the dev server with `--json`; gives the document and the exit code. */
async function run(...args: string[]): Promise<{ code: CommandRun['code']; json: unknown }> {
  const { code, stdout } = await edgeloom([...args, '--json', '--endpoint', dev.endpoint]);
  return { code, json: JSON.parse(stdout) };
}

describe('put, update and delete', () => {
  it('write single nodes and edges under conditions, and give the item as it is', async () => {
    const put = await run('put', 'GOAL-C1', '{"title":"Run","points":5}', '--if-absent');
    expect(put).toEqual({
      code: 0,
      json: { item: { id: 'GOAL-C1', attributes: { title: 'Run', points: 5 } }, wcu: 1 },
    });
    const again = await run('put', 'GOAL-C1', '{}', '--if-absent');
    expect(again).toMatchObject({ code: 2, json: { error: { code: 'condition-failed' } } });
    const updated = await run('update', 'GOAL-C1', '{"status":"open"}', '--remove', 'points', '--if', 'title=Run');
    expect(updated).toMatchObject({ code: 0, json: { item: { attributes: { title: 'Run', status: 'open' } } } });
    const edge = ['GOAL-C1', 'GOALMEMBERSHIP', 'USER-C1'];
    await run('put', ...edge, '{"memberRole":"LEAD"}');
    const changed = await run('update', ...edge, '{"memberRole":"CONTRIBUTOR"}', '--if', 'memberRole=LEAD');
    expect(changed).toMatchObject({ code: 0, json: { item: { attributes: { memberRole: 'CONTRIBUTOR' } } } });
    expect(await run('edge', ...edge, '--consistent')).toMatchObject({
      json: { source: 'GOAL-C1', type: 'GOALMEMBERSHIP', target: 'USER-C1' },
    });
    expect(await run('get', 'GOAL-C1', 'GOAL-C9', '--base')).toEqual({
      code: 0,
      json: [
        { id: 'GOAL-C1', attributes: { title: 'Run', status: 'open' } },
        { id: 'GOAL-C9', attributes: null },
      ],
    });
    const collection = await run('edges', 'GOAL-C1', '--with-node');
    expect(collection).toMatchObject({ json: { node: { id: 'GOAL-C1' }, items: [{ target: 'USER-C1' }] } });
    expect(await run('delete', ...edge)).toMatchObject({ code: 0, json: { item: null } });
    expect(await run('edge', ...edge, '--consistent')).toEqual({ code: 0, json: null });
    expect(await run('delete', 'GOAL-C1', '--if', 'status=closed')).toMatchObject({ code: 2 });
    expect(await run('update', 'GOAL-C9', '{"a":1}')).toMatchObject({ json: { error: { code: 'not-found' } } });
    expect(await run('put', 'GOAL-C1', 'GOALMEMBERSHIP', '{}')).toMatchObject({ json: { error: { code: 'usage' } } });
    expect(await run('nodes', 'GOAL')).toMatchObject({ code: 2, json: { error: { code: 'not-listed' } } });
  });
});
