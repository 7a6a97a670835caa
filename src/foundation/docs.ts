/** The folder of each documentation page that the code names. @internal */
export const PAGES = {
  adopting: 'how-to',
  alarms: 'how-to',
  deploying: 'how-to',
  observing: 'explain',
  parameters: 'reference',
  totals: 'how-to',
} as const satisfies Record<string, string>;

export type DocsPage = keyof typeof PAGES;

/** Where an installed package has its pages, without pictures of the studio. */
export const DOCS = 'node_modules/edgeloom/docs';

/**
 * The path of a page, such as `node_modules/edgeloom/docs/how-to/alarms.md#drift`. `base` replaces the folder, such as
 * by an address where the pages are published. A test compares the folders with the pages.
 */
export function docsPage(page: DocsPage, anchor = '', base = DOCS): string {
  return `${base}/${PAGES[page]}/${page}.md${anchor === '' ? '' : `#${anchor}`}`;
}
