/** The folder of each page of the documentation that the code names. @internal */
export const PAGES = {
  adopting: 'how-to',
  alarms: 'how-to',
  deploying: 'how-to',
  observing: 'explain',
  parameters: 'reference',
  totals: 'how-to',
} as const satisfies Record<string, string>;

/** A page that a hint, a message or an alarm names. */
export type DocsPage = keyof typeof PAGES;

/** Where the pages are for whoever has installed the package, which brings them along without pictures of the studio. */
export const DOCS = 'node_modules/edgeloom/docs';

/**
 * Returns the place of a page of the documentation, such as `node_modules/edgeloom/docs/how-to/alarms.md#drift`. `base` replaces its
 * folder: an address where the pages are published. A test compares the folders with those that the pages are in.
 */
export function docsPage(page: DocsPage, anchor = '', base = DOCS): string {
  return `${base}/${PAGES[page]}/${page}.md${anchor === '' ? '' : `#${anchor}`}`;
}
