export const WRITE_UNIT_BYTES = 1024;
export const READ_UNIT_BYTES = 4096;

export function writeUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / WRITE_UNIT_BYTES));
}

export const EVENTUAL_READ_UNIT_BYTES = 2 * READ_UNIT_BYTES;

export function readUnits(bytes: number, isConsistent: boolean): number {
  return Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES)) * (isConsistent ? 1 : 0.5);
}
