import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGES_WITH_FIGURES, withFigures } from '../../bench/figures/blocks.ts';
import type { FigureFile } from '../../bench/support/figure-file.ts';
import { COMMANDS } from '../../packages/cli/command-list.ts';
import { ROOT } from '../support/command.ts';

/** Pages name files, headings, commands and figures: each of them has to exist. A list below holds those that do not. */

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs', 'test/simulator'].flatMap((place) =>
  place.endsWith('.md')
    ? [place]
    : readdirSync(join(ROOT, place), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md'))
        .map((name) => join(place, name)),
);
const LINK = /\]\(([^)\s]+)\)/g;

/** The anchors of a page, as its host makes them of headings. */
function anchors(page: string): Set<string> {
  const headings = [...page.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading]) =>
    heading!.replace(/`|\*|\[|\]\([^)]*\)/g, ''),
  );
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** What a pattern's first group finds in the pages, each with the page that has it. */
function named(pattern: RegExp): { page: string; name: string }[] {
  return PAGES.flatMap((page) => [...read(page).matchAll(pattern)].map(([, name]) => ({ page, name: name! })));
}

/** Those that are not in a set. */
function unknown(pattern: RegExp, known: ReadonlySet<string>): { page: string; name: string }[] {
  return named(pattern).filter(({ name }) => !known.has(name));
}

describe('pages', () => {
  it('link to files and headings that exist', () => {
    const broken = PAGES.flatMap((page) =>
      [...read(page).matchAll(LINK)]
        .map(([, target]) => target!)
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => {
          const [path, anchor] = target.split('#') as [string, string?];
          const file = path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path));
          if (!existsSync(join(ROOT, file))) return true;
          return anchor !== undefined && !anchors(read(file)).has(anchor);
        })
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  it('name files of the repository that exist', () => {
    const path = /`((?:src|test|bench|examples|handlers|docs|scripts|assets)\/[\w./-]+\w)`/g;
    // The tutorial names files of a project that its reader makes.
    const ours = named(path).filter(({ page }) => !page.startsWith('docs/tutorial/'));
    expect(ours.filter(({ name }) => !existsSync(join(ROOT, name)))).toEqual([]);
  });

  it('name scripts of package.json', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const ofProjects = new Set(['bundle', 'deploy', 'protect']);
    expect(unknown(/npm run (?:-s )?([a-z][a-z:-]*)/g, new Set([...Object.keys(scripts), ...ofProjects]))).toEqual([]);
  });

  it('name commands of the command line', () => {
    const commands = COMMANDS.map(({ name }) => name);
    expect(commands.length).toBeGreaterThan(20);
    expect(unknown(/npx edgeloom ([a-z]+)/g, new Set(commands))).toEqual([]);
  });

  it('name benchmarks', () => {
    const [, list] = /runBenchmarks\(\{(.*?)\n\}\)/s.exec(read('bench/main.ts'))!;
    const benchmarks = [...list!.matchAll(/^ {2}'?([a-z-]+)'?[:,]/gm)].map(([, name]) => name!);
    expect(unknown(/npm run bench -- ([a-z-]+)/g, new Set(['all', 'figures', ...benchmarks]))).toEqual([]);
  });

  it('name projects of the test runner', () => {
    const projects = [...read('vitest.config.ts').matchAll(/folder\('([a-z0-9-]+)'/g)].map(([, name]) => name!);
    expect(unknown(/--project ([a-z0-9-]+)/g, new Set(projects))).toEqual([]);
  });

  it.each(PAGES_WITH_FIGURES)('docs/%s has the figures that were measured', (name) => {
    const figures = JSON.parse(read('docs/project/figures.json')) as FigureFile;
    const page = read(`docs/${name}`);
    expect(page).toContain('<!-- figures: ');
    expect(withFigures(page, figures)).toBe(page);
  });
});
