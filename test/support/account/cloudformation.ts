import { template as resolved, type Template } from '../stack/template.ts';
import type { ChangeSet, Stacks } from './stacks.ts';
import type { Input, Operation } from './stand-in.ts';

/** The commands of `aws cloudformation`, and the deployment of the Serverless Framework. */
export function cloudFormationOperations(stacks: Stacks): Record<string, Operation> {
  const changeSets = new Map<string, ChangeSet>();
  /** What went wrong in the last operation on a stack: a command that waits for it fails. */
  const failures = new Map<string, unknown>();
  const inBackground = async (name: string, work: Promise<unknown>): Promise<void> => {
    failures.delete(name);
    await work.catch((error) => failures.set(name, error));
  };
  const wait = async ({ StackName, ChangeSetName }: Input): Promise<void> => {
    if (ChangeSetName !== undefined && !changeSets.has(`${StackName} ${ChangeSetName}`))
      throw new Error('no change set');
    if (failures.has(StackName)) throw failures.get(StackName);
  };
  const setPolicy = ({ StackName, StackPolicyBody }: Input): void => {
    stacks.get(StackName).policy = (parsed(StackPolicyBody) as { Statement: never }).Statement;
  };
  /** Puts artefacts into the framework's own bucket, or empties it. A stack of an import has none yet. */
  const keepArtefacts = (name: string, objects: number): void => {
    const bucket = stacks.get(name).things.get(ARTEFACTS_BUCKET);
    if (bucket !== undefined) bucket.objects = objects;
  };
  return {
    'cloudformation create-change-set': async ({
      StackName,
      ChangeSetName,
      TemplateBody,
      ChangeSetType,
      ResourcesToImport,
    }) => {
      const imports = ChangeSetType === 'IMPORT' ? (ResourcesToImport as never) : undefined;
      const set = stacks.changeSet(StackName, parsed(TemplateBody) as Template, imports);
      changeSets.set(`${StackName} ${ChangeSetName}`, set);
      return { Id: ChangeSetName };
    },
    'cloudformation execute-change-set': async ({ StackName, ChangeSetName }) => {
      const set = changeSets.get(`${StackName} ${ChangeSetName}`);
      if (set === undefined) throw new Error(`ChangeSet ${ChangeSetName} does not exist`);
      await inBackground(StackName, set.execute());
    },
    'cloudformation wait': wait,
    'cloudformation deploy': async ({ StackName, TemplateFile }) => {
      await stacks.deploy(StackName, parsed(TemplateFile) as Template);
    },
    'cloudformation set-stack-policy': async (input) => setPolicy(input),
    'cloudformation update-termination-protection': async ({ StackName, EnableTerminationProtection }) => {
      stacks.get(StackName).isProtected = EnableTerminationProtection === true;
    },
    'cloudformation delete-stack': async ({ StackName }) => {
      // A protected stack is refused at once, anything else later.
      if (stacks.find(StackName)?.isProtected === true) return await stacks.delete(StackName);
      await inBackground(StackName, stacks.delete(StackName));
    },
    'cloudformation describe-stack-events': async ({ StackName }) => ({
      StackEvents: stacks.get(StackName).reasons.map((ResourceStatusReason) => ({ ResourceStatusReason })),
    }),
    'cloudformation describe-stacks': async ({ StackName }) => {
      const { status, template, isProtected, updates } = stacks.get(StackName);
      const { Outputs = {} } = resolved(template as Template);
      return {
        Stacks: [
          {
            ...{ StackName, StackStatus: status, EnableTerminationProtection: isProtected },
            LastUpdatedTime: String(updates),
            Outputs: Object.entries(Outputs).map(([OutputKey, { Value }]) => ({ OutputKey, OutputValue: Value })),
          },
        ],
      };
    },
    // osls deploys by change sets, and sets the stack's policy after each of them, if it has statements.
    'serverless deploy': async ({ StackName, TemplateBody, StackPolicyBody }) => {
      // A first deployment makes a stack with the bucket of the artefacts, and updates it.
      if (stacks.find(StackName) === undefined) await stacks.deploy(StackName, { Resources: ARTEFACTS });
      keepArtefacts(StackName, 1);
      const template = parsed(TemplateBody) as Template;
      await stacks.deploy(StackName, { ...template, Resources: { ...template.Resources, ...ARTEFACTS } });
      const { Statement } = parsed(StackPolicyBody) as { Statement: unknown[] };
      if (Statement.length > 0) setPolicy({ StackName, StackPolicyBody } as never);
    },
    'serverless remove': async ({ StackName }) => {
      keepArtefacts(StackName, 0);
      await stacks.delete(StackName);
    },
  };
}

/** The framework's own bucket. */
const ARTEFACTS_BUCKET = 'ServerlessDeploymentBucket';
const ARTEFACTS: Template['Resources'] = {
  [ARTEFACTS_BUCKET]: { Type: 'AWS::S3::Bucket', Properties: {} },
};

function parsed(value: unknown): unknown {
  return typeof value === 'string' ? JSON.parse(value) : value;
}
