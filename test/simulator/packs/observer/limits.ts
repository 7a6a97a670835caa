import { STREAM_LIMITS } from '../../kernel/shown-stream.ts';
import { SECOND } from '../projecting/time.ts';

/** The waits of an observer in schedules: short ones, so that much happens. */
export const OBSERVER_LIMITS = {
  lateMs: STREAM_LIMITS.lateMs,
  skewMs: STREAM_LIMITS.skewMs,
  graceMs: 2 * SECOND,
  listMs: 30 * SECOND,
};

/** So few differences are exceptions, or so many that all of them are. */
export const EXCEPTIONS = [25, 1] as const;
