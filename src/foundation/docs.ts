/** @internal */
export const PAGES = {
  adopting: 'how-to',
  alarms: 'how-to',
  deploying: 'how-to',
  observing: 'explain',
  parameters: 'reference',
  totals: 'how-to',
} as const satisfies Record<string, string>;

export type DocsPage = keyof typeof PAGES;

/** The folder of the documentation in an installed package. */
export const DOCS = 'node_modules/edgeloom/docs';

/** Returns a page's path, such as `node_modules/edgeloom/docs/how-to/alarms.md#drift`. `base` replaces the folder. */
export function docsPage(page: DocsPage, anchor = '', base = DOCS): string {
  return `${base}/${PAGES[page]}/${page}.md${anchor === '' ? '' : `#${anchor}`}`;
}
