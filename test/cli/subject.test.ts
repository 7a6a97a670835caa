import { describe, expect, it } from 'vitest';
import { devCommands } from '../support/dev-commands.ts';

const { cli, dev, run } = devCommands();

describe('edgeloom subject', () => {
  it('exports lines that import takes back, erases in a first run, and says the day of the second', async () => {
    await run('put', 'USER-S1', '{"name":"Ada","points":12345678901234567890}');
    await run('put', 'GOAL-S1', '{"title":"Run"}');
    await run('put', 'GOAL-S1', 'GOALMEMBERSHIP', 'USER-S1', '{"memberRole":"LEAD"}');
    await run('put', 'GOAL-S2', '{"title":"Swim","owner":"USER-S1"}');
    await run('wait');

    const exported = await run('subject', 'export', 'USER-S1');
    expect(exported.code).toBe(0);
    expect(exported.stderr).toMatch(/is read as a whole(: about \d+ RCU|, for an unknown number of RCU)/);
    expect(exported.stderr).toContain('USER-S1: 2 base items, ');
    const lines = exported.stdout.trim().split('\n');
    expect(lines[0]).toContain('"points":12345678901234567890');
    // The observer's own item may name a view of the subject for a moment.
    const isOther = (line: string): boolean =>
      ['"target":"~', '"source":"~', '"owner"'].some((of) => line.includes(of));
    const base = lines.filter((line) => !isOther(line));
    expect(base.map((line) => JSON.parse(line) as object)).toMatchObject([
      { source: 'USER-S1', target: 'USER-S1', name: 'Ada' },
      { source: 'GOAL-S1', target: 'GOALMEMBERSHIP-USER-S1', memberRole: 'LEAD' },
    ]);
    expect(lines).toContain('{"source":"GOAL-S2","target":"GOAL-S2","owner":"USER-S1"}');

    expect(await run('subject', 'export', 'USER-NOBODY', '--json')).toMatchObject({ code: 0, stdout: '' });

    const dry = await run('subject', 'erase', 'USER-S1', '--dry-run');
    expect(dry.code).toBe(1);
    expect(dry.stdout).toContain('names it: GOAL-S1 GOALMEMBERSHIP-USER-S1: a base item');
    expect(dry.stdout).toContain('may name it: backups: ');
    expect(dry.stdout).toContain('a dry run: nothing was deleted');

    const asked = await run('subject', 'erase', 'USER-S1');
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('The command needs a confirmation.') });

    const first = await run('subject', 'erase', 'USER-S1', '--yes', '--json');
    const json = JSON.parse(first.stdout) as Record<string, unknown>;
    expect(first.code).toBe(1);
    expect(json).toMatchObject({
      deleted: { nodes: 1, edges: 1 },
      remains: expect.arrayContaining([{ where: 'GOAL-S2 GOAL-S2', what: 'the id in owner' }]),
      ...{ done: false, writtenAgain: false, stopped: false },
    });
    const hours = (Date.parse(String(json['next'])) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(48);
    expect(hours).toBeLessThan(50);

    const nobody = await run('subject', 'erase', 'USER-NOBODY', '--yes');
    expect([nobody.code, nobody.stdout]).toEqual([1, expect.stringContaining('no item names USER-NOBODY, perhaps')]);
    expect(nobody.stdout).toContain('next: run it again from ');
    expect(first.stdout).not.toContain('no item names');

    const early = await run('subject', 'erase', 'USER-S1', '--yes');
    expect(early.code).toBe(1);
    expect(early.stdout).toContain(`next: run it again from ${String(json['next'])} on`);

    await run('wait');
    await cli.run(['import', '-', '--endpoint', dev.endpoint], { input: `${base.join('\n')}\n` });
    const back = await run('get', 'USER-S1', '--stored', '--json');
    expect(JSON.parse(back.stdout)).toMatchObject([{ id: 'USER-S1', attributes: { name: 'Ada' } }]);
  });
});
