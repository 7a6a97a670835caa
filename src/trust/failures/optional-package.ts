import { EdgeloomError } from '../../foundation/errors.ts';

/** Throws `not-installed`, with the command that installs it, if the package is missing. */
export async function loadOptionalPackage<Loaded>(name: string, loading: Promise<Loaded>): Promise<Loaded> {
  try {
    return await loading;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(`'${name}'`)) throw error;
    throw new EdgeloomError(
      'not-installed',
      `This needs the package ${name}, which is not installed.`,
      `Install it with "npm install ${name}".`,
      { cause: error },
    );
  }
}
