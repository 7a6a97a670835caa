// Prints what the rules of AWS Solutions find in templates: node nag.mjs TEMPLATE...
import { App, Aspects, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';
import { AwsSolutionsChecks } from 'cdk-nag';

for (const templateFile of process.argv.slice(2)) {
  const app = new App();
  const stack = new Stack(app, 'Edgeloom');
  new CfnInclude(stack, 'Template', { templateFile });
  Aspects.of(app).add(new AwsSolutionsChecks());
  const annotations = Annotations.fromStack(stack);
  const found = [...annotations.findError('*', Match.anyValue()), ...annotations.findWarning('*', Match.anyValue())];
  const findings = found.map(({ id, entry }) => ({ resource: id.split('/').at(-1), text: String(entry.data) }));
  process.stdout.write(`FINDINGS ${JSON.stringify(findings)}\n`);
}
