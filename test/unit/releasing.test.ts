import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../support/command.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('workflows', () => {
  it('run what has to pass, before a change lands and before a release', () => {
    const [, all] = /set -- (.*); fi$/m.exec(read('.ci/run'))!;
    const [, jobs] = /^ +parts: \[(.*)\]$/m.exec(read('.github/workflows/ci.yml'))!;
    expect(jobs!.split(', ').join(' ')).toBe(all);
    expect(read('.github/workflows/ci.yml')).toMatch(/^ +- run: \.ci\/run \$\{\{ matrix\.parts \}\}$/m);
    expect(read('.github/workflows/release.yml')).toContain('gh run list --workflow ci.yml');
  });

  it('publish as the page about releases says', () => {
    const [, commands] = /runs `(npm ci && [^`]+)`/.exec(read('docs/project/releasing.md'))!;
    const steps = [...read('.github/workflows/release.yml').matchAll(/^ +- run: (.*)$/gm)].map(
      ([, command]) => command,
    );
    expect(steps).toEqual(commands!.split(' && '));
    expect(read('.github/workflows/release.yml')).toContain('id-token: write');
  });
});

describe('a build', () => {
  it('leaves no declaration that a build before it has left, of a source that is gone or in another place', async () => {
    const program = pathToFileURL(join(ROOT, 'scripts/bundle/stale-declarations.mjs')).href;
    const { staleDeclarations } = (await import(program)) as { staleDeclarations(root: string): string[] };
    const folder = mkdtempSync(join(tmpdir(), 'edgeloom-build-'));
    const stale = ['index.d.ts', 'core/schema.d.ts', 'types/src/gone.d.ts', 'types/src/gone.d.cts'];
    const kept = ['types/src/index.d.ts', 'types/src/index.d.cts', 'types/packages/cli/page.d.ts', 'index.js'];
    for (const file of [
      ...[...stale, ...kept].map((name) => `dist/${name}`),
      'src/index.ts',
      'packages/cli/page.tsx',
    ]) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
    expect(staleDeclarations(folder).sort()).toEqual(stale.sort());
    rmSync(folder, { recursive: true });
  });
});

describe('the address of the repository', () => {
  it('fills the fields of package.json', () => {
    const folder = mkdtempSync(join(tmpdir(), 'edgeloom-repository-'));
    const file = join(folder, 'package.json');
    writeFileSync(file, JSON.stringify({ name: 'edgeloom', version: '0.2.0', description: 'x', bin: {} }));
    const program = join(ROOT, 'scripts/set-repository.mjs');
    expect(spawnSync(process.execPath, [program, 'github.com/a'], { cwd: folder }).status).toBe(2);
    // Again with another address.
    for (const name of ['old', 'loom']) {
      execFileSync(process.execPath, [program, `https://github.com/edge/${name}`], { cwd: folder });
    }
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      ...{ name: 'edgeloom', version: '0.2.0', description: 'x', bin: {} },
      repository: { type: 'git', url: 'git+https://github.com/edge/loom.git' },
      homepage: 'https://github.com/edge/loom#readme',
      bugs: { url: 'https://github.com/edge/loom/issues' },
    });
    rmSync(folder, { recursive: true });
  });
});

describe('the changelog', () => {
  it('has what is unreleased first, then versions with their dates', () => {
    const [first, ...versions] = [...read('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    expect(first).toBe('Unreleased');
    expect(versions.filter((heading) => !/^\d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\)$/.test(heading!))).toEqual([]);
  });

  describe('when npm makes a version', () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'edgeloom-version-'));
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '0.3.0' }));
    });
    afterEach(() => rmSync(folder, { recursive: true }));
    const program = join(ROOT, 'scripts/changelog-version.mjs');
    const changelog = (): string => join(folder, 'CHANGELOG.md');

    it('gives it what was unreleased', () => {
      writeFileSync(
        changelog(),
        '# Changelog\n\n## Unreleased\n\n### Added\n- One.\n\n## 0.2.0 (2026-01-02)\n- Two.\n',
      );
      execFileSync(process.execPath, [program], { cwd: folder });
      expect(readFileSync(changelog(), 'utf8')).toMatch(
        /^# Changelog\n\n## Unreleased\n\n## 0\.3\.0 \(\d{4}-\d\d-\d\d\)\n\n### Added\n- One\.\n\n## 0\.2\.0 \(2026-01-02\)\n- Two\.\n$/,
      );
    });

    it('stops where nothing was unreleased', () => {
      const text = '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-01-02)\n- Two.\n';
      writeFileSync(changelog(), text);
      const { status, stderr } = spawnSync(process.execPath, [program], { cwd: folder, encoding: 'utf8' });
      expect(status).toBe(1);
      expect(stderr).toContain('nothing under "## Unreleased"');
      expect(readFileSync(changelog(), 'utf8')).toBe(text);
    });
  });
});
