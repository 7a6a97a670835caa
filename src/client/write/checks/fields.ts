import type { StandardSchemaV1 } from '@standard-schema/spec';
import { EdgeloomError, InvalidAttributesError, type Mistake, messageOf } from '../../../foundation/errors.ts';
import { eachForm, keysOfIssue } from './number-forms.ts';
import { isPlainObject } from './values.ts';

export async function validateFields(
  fields: StandardSchemaV1 | undefined,
  attributes: unknown,
  item: string,
): Promise<object> {
  const forms = validation(fields, attributes, item);
  let form = forms.next();
  while (!form.done) form = forms.next(await validate(fields!, form.value, item));
  return form.value;
}

export function validateAtOnce(fields: StandardSchemaV1 | undefined, attributes: unknown, item: string): object {
  const forms = validation(fields, attributes, item);
  let form = forms.next();
  while (!form.done) form = forms.next(validateNow(fields!, form.value, item));
  return form.value;
}

function* validation(
  fields: StandardSchemaV1 | undefined,
  attributes: unknown,
  item: string,
): Generator<unknown, object, StandardSchemaV1.Result<unknown>> {
  if (fields === undefined) return requirePlainObject(attributes, item, 'The attributes');
  const result = yield* eachForm(attributes);
  if (result.issues === undefined) return requirePlainObject(result.value, item, "The validator's output");
  throw new InvalidAttributesError(item, result.issues.map(mistakeOf));
}

async function validate(
  fields: StandardSchemaV1,
  attributes: unknown,
  item: string,
): Promise<StandardSchemaV1.Result<unknown>> {
  try {
    return await fields['~standard'].validate(attributes);
  } catch (error) {
    throw validatorError(item, error);
  }
}

function validateNow(fields: StandardSchemaV1, attributes: unknown, item: string): StandardSchemaV1.Result<unknown> {
  let result: ReturnType<StandardSchemaV1['~standard']['validate']>;
  try {
    result = fields['~standard'].validate(attributes);
  } catch (error) {
    throw validatorError(item, error);
  }
  if (!(result instanceof Promise)) return result;
  throw new EdgeloomError(
    'validator-failed',
    `${item}: the validator of its fields answers later.`,
    'Give its type a validator that is synchronous.',
  );
}

function validatorError(item: string, cause: unknown): EdgeloomError {
  return new EdgeloomError(
    'validator-failed',
    `${item}: the validator of its fields threw: ${messageOf(cause)}.`,
    'Correct the validator in the model: it should give issues, not throw.',
    { cause },
  );
}

function requirePlainObject(value: unknown, item: string, what: string): object {
  if (isPlainObject(value)) return value;
  throw new EdgeloomError(
    'invalid-attribute',
    `${item}: ${what} should be a plain object of names and values.`,
    'Spread an instance of a class: { ...instance }.',
  );
}

function mistakeOf(issue: StandardSchemaV1.Issue): Mistake {
  const text = keysOfIssue(issue).reduce<string>(
    (joined, key) => (typeof key === 'number' ? `${joined}[${key}]` : joined + (joined && '.') + String(key)),
    '',
  );
  return { path: text, message: issue.message };
}
