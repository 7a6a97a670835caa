/** Returns undefined for invalid base64. `Buffer.from` alone would ignore the invalid characters. */
export function bytesOfBase64(text: string, encoding: 'base64' | 'base64url' = 'base64'): Uint8Array | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? new Uint8Array(bytes) : undefined;
}
