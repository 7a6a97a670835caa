const KEPT = 'edgeloom-studio-token';
const FRAGMENT = /^#token=([\w-]+)$/;

/**
 * Takes the token out of the fragment of the first address, and keeps it for this origin: other ports
 * of this machine are other origins. It is kept beyond the tab, so that a place opens in a new one too; a studio that has
 * ended made it worthless.
 */
export function takeToken(): void {
  const token = FRAGMENT.exec(location.hash)?.[1];
  if (token === undefined) return;
  localStorage.setItem(KEPT, token);
  history.replaceState(null, '', location.pathname + location.search);
}

/** The token that was kept; empty where there is none. */
export function keptToken(): string {
  return localStorage.getItem(KEPT) ?? '';
}
