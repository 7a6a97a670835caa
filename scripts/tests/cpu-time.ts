import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Ticks of a second in the kernel's accounts; it is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

interface ProcessTime {
  readonly parent: number;
  /** CPU of the process itself and of its children that ended, in ticks. */
  readonly ticks: number;
}

/**
 * CPU-seconds of a process, of all that it started and of what they started in turn, from /proc. Children that ended count
 * as soon as their parent has waited for them; one whose parent ended before it is lost. Without /proc: of this process alone.
 */
export function cpuSecondsOfTree(root: number): number {
  if (!existsSync('/proc/self/stat')) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }
  const processes = new Map<number, ProcessTime>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const time = Number.isInteger(pid) ? processTime(pid) : undefined;
    if (time !== undefined) processes.set(pid, time);
  }
  let ticks = 0;
  for (const [pid, time] of processes) {
    if (isWithin(root, pid, processes)) ticks += time.ticks;
  }
  return ticks / TICKS_PER_SECOND;
}

function isWithin(root: number, pid: number, processes: ReadonlyMap<number, ProcessTime>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 0; at = processes.get(at)?.parent) {
    if (at === root) return true;
  }
  return false;
}

/** Undefined where the process has ended meanwhile. */
function processTime(pid: number): ProcessTime | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name of the program may hold anything; the fields behind its last bracket are plain: state, parent, ...
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0);
  return { parent: Number(fields[1]), ticks };
}
