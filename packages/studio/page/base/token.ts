const KEPT = 'edgeloom-studio-token';
const FRAGMENT = /^#token=([\w-]+)$/;

/** Uses localStorage, so that new tabs have the token. Each port is its own origin. */
export function takeToken(): void {
  const token = FRAGMENT.exec(location.hash)?.[1];
  if (token === undefined) return;
  localStorage.setItem(KEPT, token);
  history.replaceState(null, '', location.pathname + location.search);
}

export function tokenHeaders(): Record<string, string> {
  return { 'x-edgeloom-studio': localStorage.getItem(KEPT) ?? '' };
}
