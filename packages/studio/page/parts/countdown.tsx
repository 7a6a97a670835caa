import { useEffect, useState } from 'preact/hooks';

/** How long an action can be called off after the click. */
const SECONDS_TO_CANCEL = 3;

/** The properties of a button with a countdown. */
export interface CountdownProps {
  /** The action: `Repair this node`. */
  text: string;
  /** The action under way: `Repairing`, which becomes `Repairing in 3 s` and `Repairing …`. */
  doing: string;
  isRunning: boolean;
  /** True if something else has to end first. Default false. */
  isDisabled?: boolean;
  run: () => void;
}

/** A button for an action that changes the table. The action begins a moment after the click: until then it can be called off. */
export function Countdown({ text, doing, isRunning, isDisabled = isRunning, run }: CountdownProps) {
  const [secondsLeft, setSecondsLeft] = useState<number>();
  useEffect(() => {
    if (secondsLeft === undefined) return;
    const timer = setTimeout(() => {
      setSecondsLeft(secondsLeft > 1 ? secondsLeft - 1 : undefined);
      if (secondsLeft === 1) run();
    }, 1_000);
    return () => clearTimeout(timer);
  }, [secondsLeft]);
  const isWaiting = secondsLeft !== undefined;
  return (
    <>
      <button
        type="button"
        class="repair"
        disabled={isDisabled || isRunning || isWaiting}
        onClick={() => setSecondsLeft(SECONDS_TO_CANCEL)}
      >
        {isRunning ? `${doing} …` : isWaiting ? `${doing} in ${secondsLeft} s` : text}
      </button>{' '}
      {isWaiting && (
        <button type="button" onClick={() => setSecondsLeft(undefined)}>
          Cancel
        </button>
      )}
    </>
  );
}
