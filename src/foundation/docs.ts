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

export const DOCS = 'node_modules/edgeloom/docs';

export function docsPage(page: DocsPage, anchor = '', base = DOCS): string {
  return `${base}/${PAGES[page]}/${page}.md${anchor === '' ? '' : `#${anchor}`}`;
}
