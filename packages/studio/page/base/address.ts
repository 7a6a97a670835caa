export type PlaceParameters = Record<string, string | readonly string[] | undefined>;

/** Omits empty parameters. */
export function addressOf(path: string, parameters: PlaceParameters = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of [value ?? []].flat()) if (one !== '') search.append(name, one);
  }
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}
