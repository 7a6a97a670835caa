import { checkGroups, HOW_TO_GROUPS, SEARCH_WORDS } from './groups.ts';
import { anchorOf, type Title } from './pages.ts';

/** An entry of the sidebar. */
interface Entry {
  text: string;
  link: string;
  target?: string;
}

/** A heading of the sidebar, and its pages. */
interface Group {
  text: string;
  items: readonly (Entry | Group)[];
  collapsed?: boolean;
}

/** Folders in the sidebar, with the pages that come first; the others follow by their titles. */
const FOLDERS: readonly (readonly [folder: string, title: string, first: readonly string[]])[] = [
  ['start', 'Start', ['what-it-is', 'quick-start', 'concepts', 'when-not']],
  ['tutorial', 'Tutorial', []],
  ['how-to', 'How to', []],
  ['reference', 'Reference', ['model-options', 'commands']],
  ['explain', 'Explain', []],
  ['project', 'Project', ['contributing']],
];

/** What the configuration is made from. */
export interface SiteFacts {
  pages: readonly Title[];
  version: string;
  /** The path of the site on its host. */
  base: string;
  repository?: string | undefined;
}

/** The configuration of VitePress. */
export function siteConfig({ pages, version, base, repository }: SiteFacts): object {
  checkGroups(pages.map(({ path }) => path));
  return {
    title: 'Edgeloom',
    base,
    description: 'An event-driven projection service on DynamoDB Streams.',
    cleanUrls: false,
    lastUpdated: false,
    markdown: { html: false, anchor: { slugify: anchorOf } },
    themeConfig: {
      outline: [2, 3],
      search: { provider: 'local', options: { _render: renderForSearch } },
      nav: [
        { text: 'Quick start', link: '/start/quick-start' },
        { text: 'Tutorial', link: '/tutorial/goals' },
        { text: 'How to', link: '/how-to/modelling' },
        { text: 'Reference', link: '/reference/model-options' },
        // Pages that VitePress did not make: the browser itself has to go there.
        { text: 'API', link: '/api/index.html', target: '_self' },
        { text: `v${version}`, link: '/project/changelog' },
      ],
      sidebar: sidebar(pages),
      ...(repository === undefined ? {} : { socialLinks: [{ icon: 'github', link: repository }] }),
    },
  };
}

/** What the search knows of a page: its text, and below the first heading the words that people use for its subject. */
function renderForSearch(
  source: string,
  env: { relativePath: string; frontmatter?: { search?: boolean } },
  md: { render(source: string, env: object): string },
): string {
  const html = md.render(source, env);
  if (env.frontmatter?.search === false) return '';
  const words = SEARCH_WORDS[env.relativePath.replace(/\.md$/, '')];
  return words === undefined ? html : html.replace('</h1>', `</h1>\n<p>${words}</p>`);
}

function sidebar(pages: readonly Title[]): Group[] {
  const entries = (folder: string): Entry[] =>
    pages
      .filter(({ path }) => path.startsWith(`${folder}/`))
      .map(({ path, title }) => ({ text: title, link: `/${path.replace(/\.md$/, '')}` }))
      .sort((left, right) => (left.text < right.text ? -1 : 1));
  return FOLDERS.map(([folder, text, first]): Group => {
    const links = first.map((name) => `/${folder}/${name}`);
    const rank = ({ link }: Entry): number => (links.includes(link) ? links.indexOf(link) : links.length);
    const items: (Entry | Group)[] = entries(folder).sort((left, right) => rank(left) - rank(right));
    if (folder === 'how-to') return { text, items: howToGroups(items as Entry[]) };
    if (folder === 'explain') items.unshift({ text: 'Architecture', link: '/architecture' });
    if (folder === 'project') items.push({ text: 'Decisions', items: entries('decisions'), collapsed: true });
    if (folder === 'reference') items.push({ text: 'API of the package', link: '/api/index.html', target: '_self' });
    return { text, items, ...(folder === 'project' ? { collapsed: true } : {}) };
  });
}

function howToGroups(entries: readonly Entry[]): Group[] {
  return Object.entries(HOW_TO_GROUPS).map(([text, names]) => ({
    text,
    items: names.map((name) => entries.find(({ link }) => link === `/how-to/${name}`)!),
  }));
}
