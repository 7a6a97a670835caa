import { describe } from '../../foundation/describe.ts';
import { EncodingError, TooLongError } from './attribute-value.ts';

export const MAX_DATE_CHARACTERS = 256;

export const PLAIN_DATE = /^\d{4}-\d{2}-\d{2}$/;
const ISO_DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(Z|z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/;

/** Treats a time without offset as UTC, so that the result doesn't depend on the machine's time zone. */
export function encodeDate(text: string): string {
  if (text.length > MAX_DATE_CHARACTERS) throw new TooLongError(text.length, MAX_DATE_CHARACTERS);
  if (PLAIN_DATE.test(text) && dayExists(digitsAt(text, 0, 4), digitsAt(text, 5, 7), digitsAt(text, 8, 10))) {
    return `${text}T00:00:00`;
  }
  const match = ISO_DATE.exec(text);
  if (match === null) {
    throw new EncodingError(
      `should be an ISO 8601 date such as 2020-07-01 or 2020-07-01T09:30:00Z, but is ${describe(text)}`,
    );
  }
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', offset = 'Z'] = match;
  if (!dayExists(Number(year), Number(month), Number(day)) || hour > '23' || minute > '59' || second > '59') {
    throw new EncodingError(`should be a date that exists, but is ${describe(text)}`);
  }
  let end = fraction.length;
  while (fraction[end - 1] === '0') end -= 1;
  const fractionText = end === 0 ? '' : `.${fraction.slice(0, end)}`;
  const time = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const minutes = offsetMinutes(offset);
  if (minutes === 0) return time + fractionText;
  const utc = new Date(Date.parse(`${time}Z`) - minutes * 60_000);
  if (utc.getUTCFullYear() < 0 || utc.getUTCFullYear() > 9999) {
    throw new EncodingError(`should be a date of the years 0000 to 9999 in UTC, but is ${describe(text)}`);
  }
  return utc.toISOString().slice(0, 19) + fractionText;
}

function digitsAt(text: string, from: number, to: number): number {
  let number = 0;
  for (let i = from; i < to; i++) number = number * 10 + text.charCodeAt(i) - 48;
  return number;
}

const DAYS_OF_MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

function dayExists(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 && isLeapYear ? 29 : DAYS_OF_MONTHS[month - 1]!);
}

function offsetMinutes(offset: string): number {
  if (offset === 'Z' || offset === 'z') return 0;
  const digits = offset.slice(1).replace(':', '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2) || 0);
  return offset.startsWith('-') ? -minutes : minutes;
}
