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

/**
 * Returns the pages of the site. A link to a page becomes its path in the site; a link to another file of the repository becomes an address
 * in `repository`, or plain text without one. Throws if a link leads nowhere.
 */
export function sitePages(root: string, repository: string | undefined): Page[] {
  const paths = sitePaths(root);
  const broken: string[] = [];
  const pages = [...paths]
    .filter(([file]) => file.endsWith('.md'))
    .map(([file, path]) => {
      const text = readFileSync(join(root, file), 'utf8')
        .replace(/<!--.*?-->\n?/gs, '')
        .replace(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, picture: string, name: string, target: string) => {
          if (/^[a-z]+:|^#/.test(target)) return whole;
          const [to, anchor] = target.split('#') as [string, string?];
          const found = posix.join(posix.dirname(file), to);
          if (!existsSync(join(root, found))) {
            broken.push(`${file}: ${target}`);
            return whole;
          }
          const place = paths.get(found) ?? paths.get(posix.join(found, 'README.md'));
          const hash = anchor === undefined ? '' : `#${anchor}`;
          if (place !== undefined) return `${picture}[${name}](${posix.relative(posix.dirname(path), place)}${hash})`;
          return repository === undefined ? name : `[${name}](${repository}/blob/main/${found}${hash})`;
        });
      return { path, text: UNSEARCHED.test(path) ? `---\nsearch: false\n---\n\n${text}` : text };
    });
  if (broken.length > 0) throw new Error(`Links that lead nowhere:\n${broken.join('\n')}`);
  return pages;
}

/** The pictures of the site: files of `docs` that are no pages. */
export function sitePictures(root: string): string[] {
  return [...sitePaths(root).keys()].filter((file) => /\.(?:png|svg)$/.test(file));
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
