import { Command, type Option } from 'commander';
import { expect, it } from 'vitest';
import { COMMANDS } from '../../../packages/cli/command-list.ts';
import { createProgram } from '../../../packages/cli/program.ts';
import { addNamed, refuseSecondValues } from '../../../packages/cli/shared/repeated.ts';

/** Every option that takes one value at a time, of every command, with its command's name. */
async function optionsWithValue(): Promise<(readonly [name: string, option: Option])[]> {
  const commands = [createProgram()];
  for (const { name, load } of COMMANDS) {
    const command = new Command(name);
    (await load())(command);
    refuseSecondValues(command);
    commands.push(command, ...command.commands);
  }
  return commands.flatMap((command) =>
    command.options
      .filter(({ required, optional, variadic }) => (required || optional) && !variadic)
      .map((option) => [`${command.name()} ${option.flags}`, option] as const),
  );
}

function given(option: Option, value: string, before: unknown): unknown {
  return (option.parseArg as ((value: string, before: unknown) => unknown) | undefined)?.(value, before) ?? value;
}

it('an option that takes one value refuses a second one, unless it says that it is repeatable', async () => {
  const options = await optionsWithValue();
  expect(options.length).toBeGreaterThan(60);
  for (const [name, option] of options) {
    const values = ['1', '2'].map((value) => (/=.*>/.test(option.flags) ? `gsi0=abc${value}` : value));
    let before: unknown;
    try {
      before = given(option, values[0]!, undefined);
    } catch {
      // A value that the option doesn't take is given, all the same.
    }
    const second = (): unknown => given(option, values[1]!, before);
    const refusal = `${values[0]} is given too: leave one of them out.`;
    if (/repeatable|repeat it/.test(option.description)) expect(second, name).not.toThrow(refusal);
    else expect(second, name).toThrow(refusal);
  }
});

it('a repeatable option takes the same value of a name again, and no other one', () => {
  const once = addNamed('x', { a: 1 });
  expect(addNamed('x', { a: 1 }, once)).toEqual(once);
  expect(() => addNamed('x', { a: 2 }, once)).toThrow('x has a value already');
});
