/** Returns undefined for invalid base64. `Buffer.from` alone would ignore the invalid characters. */
export function bytesOfBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? new Uint8Array(bytes) : undefined;
}
