import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A page of the site: where its Markdown is in the repository, and its text with links of the site. */
export interface Page {
  /** Its path in the site, such as `how-to/reading.md`. */
  path: string;
  text: string;
}

/** A page as the sidebar has it. */
export interface Title {
  path: string;
  title: string;
}

/** Pages of the repository outside of `docs`, with their paths in the site. */
const OUTSIDE: Readonly<Record<string, string>> = {
  'CONTRIBUTING.md': 'project/contributing.md',
  'SECURITY.md': 'explain/security.md',
  'CHANGELOG.md': 'project/changelog.md',
  'test/simulator/README.md': 'project/simulator.md',
  'test/simulator/RULES.md': 'project/rules.md',
  'test/simulator/SCOPES.md': 'project/scopes.md',
};

/** Long tables that a program writes: the search would find little else. */
const UNSEARCHED = /^project\/(?:changelog|claims|figures|friends|matrix|rules|scopes)\.md$|^decisions\//;

/** Files of `docs` by their path in the site, pages and pictures. */
function sitePaths(root: string): Map<string, string> {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => statSync(join(root, 'docs', name)).isFile())
    .map((name): [string, string] => [`docs/${name}`, name.replace(/(^|\/)README\.md$/, '$1index.md')]);
  return new Map([...docs, ...Object.entries(OUTSIDE)]);
}

/** Pages of many tables, which are too long to read as a whole: each section becomes a page of its own, and the page lists them. */
const SPLIT = ['reference/model-options.md', 'reference/options.md'];

/** A page with the file that it comes from. */
interface SourcePage extends Page {
  file: string;
}

/** Cuts a page at its sections; `homes` gets the place of each of their headings. */
function splitPage({ file, path, text }: SourcePage, homes: Map<string, string>): SourcePage[] {
  const [intro, ...sections] = text.split(/^## /m) as [string, ...string[]];
  const links: string[] = [];
  const pages = sections.map((section): SourcePage => {
    const [heading] = section.split('\n', 1) as [string];
    const at = `${path.replace(/\.md$/, '')}/${anchorOf(heading)}.md`;
    homes.set(`${file}#${anchorOf(heading)}`, at);
    for (const [, inner] of section.matchAll(/^### (.*)$/gm))
      homes.set(`${file}#${anchorOf(inner!)}`, `${at}#${anchorOf(inner!)}`);
    links.push(`- [${heading}](#${anchorOf(heading)})`);
    return { file, path: at, text: `# ${section.replace(/^##(#+ )/gm, '#$1')}` };
  });
  return [{ file, path, text: `${intro}${links.join('\n')}\n` }, ...pages];
}

/**
 * Returns the pages of the site. A link to a page becomes its path in the site; a link to another file of the repository becomes an address
 * in `repository`, or plain text without one. Throws if a link leads nowhere.
 */
export function sitePages(root: string, repository: string | undefined): Page[] {
  const paths = sitePaths(root);
  const homes = new Map<string, string>();
  const broken: string[] = [];
  const sources = [...paths]
    .filter(([file]) => file.endsWith('.md'))
    .map(([file, path]): SourcePage => ({ file, path, text: readFileSync(join(root, file), 'utf8') }))
    .flatMap((source) => (SPLIT.includes(source.path) ? splitPage(source, homes) : [source]));

  /** Where a link of a page leads in the site; undefined: to a file that has no page. */
  const placeOf = (found: string, anchor: string | undefined): string | undefined => {
    const home = homes.get(`${found}#${anchor}`);
    if (home !== undefined) return home;
    const place = paths.get(found) ?? paths.get(posix.join(found, 'README.md'));
    return place === undefined || anchor === undefined ? place : `${place}#${anchor}`;
  };

  const pages = sources.map(({ file, path, text: source }) => {
    const text = source
      .replace(/<!--.*?-->\n?/gs, '')
      .replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, picture: string, name: string, target: string) => {
        if (/^[a-z]+:/.test(target)) return whole;
        const [to, anchor] = target.split('#') as [string, string?];
        const found = to === '' ? file : posix.join(posix.dirname(file), to);
        if (!existsSync(join(root, found))) {
          broken.push(`${file}: ${target}`);
          return whole;
        }
        const place = placeOf(found, anchor);
        if (place !== undefined) return `${picture}[${name}](${posix.relative(posix.dirname(path), place)})`;
        const hash = anchor === undefined ? '' : `#${anchor}`;
        return repository === undefined ? name : `[${name}](${repository}/blob/main/${found}${hash})`;
      });
    return { path, text: UNSEARCHED.test(path) ? `---\nsearch: false\n---\n\n${text}` : text };
  });
  if (broken.length > 0) throw new Error(`Links that lead nowhere:\n${broken.join('\n')}`);
  return pages;
}

/** Files of `docs` that pages show or link to. */
export function siteFiles(root: string): string[] {
  return [...sitePaths(root).keys()].filter((file) => /\.(?:png|svg|schema\.json)$/.test(file));
}

/** The anchor of a heading, as the repository's host makes it: links work in both places. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

/** Returns the path and the heading of a page. */
export function titleOf({ path, text }: Page): Title {
  return { path, title: (/^# (.*)$/m.exec(text)?.[1] ?? '').replaceAll('`', '') };
}
