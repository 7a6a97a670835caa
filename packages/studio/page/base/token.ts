const KEPT = 'edgeloom-studio-token';
const FRAGMENT = /^#token=([\w-]+)$/;

/** In localStorage, so that places open in new tabs too. Other ports are other origins. */
export function takeToken(): void {
  const token = FRAGMENT.exec(location.hash)?.[1];
  if (token === undefined) return;
  localStorage.setItem(KEPT, token);
  history.replaceState(null, '', location.pathname + location.search);
}

export function keptToken(): string {
  return localStorage.getItem(KEPT) ?? '';
}
