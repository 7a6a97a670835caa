import { checkGroups, HOW_TO_GROUPS, SEARCH_WORDS } from './groups.ts';
import { anchorOf, type Title } from './pages.ts';

/** An entry of the sidebar. */
interface Entry {
  text: string;
  link: string;
}

/** A heading of the sidebar, and its pages. */
interface Group {
  text: string;
  link?: string;
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

/** The landing page without the empty half, and pictures and tables that stay readable on a phone. */
const STYLE = `
.VPHero .main, .VPHero .text, .VPHero .tagline { max-width: none !important; }
@media (min-width: 960px) { .VPHero .tagline { max-width: 46rem !important; } }
@media (max-width: 640px) {
  .VPHome p:has(> img) { overflow-x: auto; }
  .VPHome p > img { min-width: 720px; }
  .vp-doc td + td { min-width: 160px; }
}`;

/** The configuration of VitePress. */
export function siteConfig({ pages, version, base, repository }: SiteFacts): object {
  checkGroups(pages.map(({ path }) => path));
  return {
    title: 'Edgeloom',
    base,
    description: 'An event-driven projection service on DynamoDB Streams.',
    head: [['style', {}, STYLE]],
    cleanUrls: false,
    lastUpdated: false,
    // Otherwise each page repeats the names of all pages.
    metaChunk: true,
    markdown: { html: false, anchor: { slugify: anchorOf } },
    themeConfig: {
      outline: [2, 3],
      search: {
        provider: 'local',
        options: { _render: renderForSearch, miniSearch: { searchOptions: { boostDocument, fuzzy: fuzziness } } },
      },
      nav: [
        { text: 'Quick start', link: '/start/quick-start' },
        { text: 'Tutorial', link: '/tutorial/goals' },
        { text: 'How to', link: '/how-to/modeling' },
        { text: 'Reference', link: '/reference/model-options' },
        { text: 'API', link: '/api/' },
        { text: `v${version}`, link: '/project/changelog' },
      ],
      sidebar: { '/api/': apiSidebar(pages), '/': sidebar(pages) },
      ...(repository === undefined ? {} : { socialLinks: [{ icon: 'github', link: repository }] }),
    },
  };
}

/** Guides come before tables of the reference, and before pages about the project. It runs in the browser, so it refers to nothing outside. */
function boostDocument(id: string): number {
  return /\/(?:reference|project|architecture)\b/.test(id) ? 0.2 : 1;
}

/** How many letters of a word may differ: none of a short one, since `CDC` is not `CDK`. */
function fuzziness(term: string): number | false {
  return term.length > 4 ? 0.2 : false;
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
  return FOLDERS.map(([folder, text, first]): Group => {
    const links = first.map((name) => `/${folder}/${name}`);
    const rank = ({ link }: Entry | Group): number => (links.includes(link!) ? links.indexOf(link!) : links.length);
    const items = entriesOf(pages, folder).sort((left, right) => rank(left) - rank(right));
    if (folder === 'how-to') return { text, items: howToGroups(items as Entry[]) };
    if (folder === 'explain') items.unshift({ text: 'Architecture', link: '/architecture' });
    if (folder === 'project') items.push({ text: 'Decisions', items: entriesOf(pages, 'decisions'), collapsed: true });
    if (folder === 'reference') items.push({ text: 'API of the package', link: '/api/' });
    return { text, items, ...(folder === 'project' ? { collapsed: true } : {}) };
  });
}

/** The pages of a folder by their titles; those of a page that is split stand below it, in its order. */
function entriesOf(pages: readonly Title[], folder: string): (Entry | Group)[] {
  const below = (parent: string): Entry[] =>
    pages
      .filter(({ path }) => path.startsWith(parent) && !path.slice(parent.length).includes('/'))
      .map(({ path, title }) => ({ text: title, link: `/${path.replace(/(?:index)?\.md$/, '')}` }));
  return below(`${folder}/`)
    .map((entry) => {
      const items = below(`${entry.link.slice(1)}/`);
      return items.length === 0 ? entry : { ...entry, items, collapsed: true };
    })
    .sort((left, right) => (left.text < right.text ? -1 : 1));
}

/** The entries of the package with their functions and classes; types are linked where they are used. */
function apiSidebar(pages: readonly Title[]): Group[] {
  const modules = pages.filter(({ path }) => /^api\/.+\/index\.md$/.test(path));
  return modules
    .map(({ path, title }): Group => {
      const folder = path.replace(/index\.md$/, '');
      const items = ['functions', 'classes'].flatMap((kind) => entriesOf(pages, `${folder}${kind}`));
      return { text: title, link: `/${folder}`, items, collapsed: folder !== 'api/edgeloom/' };
    })
    .sort((left, right) => (left.text < right.text ? -1 : 1));
}

function howToGroups(entries: readonly Entry[]): Group[] {
  return Object.entries(HOW_TO_GROUPS).map(([text, names]) => ({
    text,
    items: names.map((name) => entries.find(({ link }) => link === `/how-to/${name}`)!),
  }));
}
