/** PlaceParameters of an address; those that are undefined or empty are left out, a list has one for each entry. */
export type PlaceParameters = Record<string, string | readonly string[] | undefined>;

/** The address of a place. */
export function addressOf(path: string, parameters: PlaceParameters = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of [value ?? []].flat()) if (one !== '') search.append(name, one);
  }
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}
