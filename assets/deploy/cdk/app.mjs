import { readFileSync } from 'node:fs';
import { App, Stack } from 'aws-cdk-lib';
import { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { CfnInclude } from 'aws-cdk-lib/cloudformation-include';

/** The stack of the model in a CDK app; `npm run package` makes the template and the functions before. */
const app = new App();
// `npm run protect` sets the policy of the stack, which CDK cannot: no update may replace or delete the table.
const stack = new Stack(app, 'SERVICE-prod', { terminationProtection: true });
const code = new Asset(stack, 'Code', { path: '.code' });
const template = new CfnInclude(stack, 'Template', { templateFile: 'template.json' });

// Which functions there are follows from the parameters. One has its code in the template.
for (const [id, { Type, Properties }] of Object.entries(JSON.parse(readFileSync('template.json', 'utf8')).Resources)) {
  if (Type !== 'AWS::Lambda::Function' || Properties.Code.ZipFile !== undefined) continue;
  template.getResource(id).code = { s3Bucket: code.s3BucketName, s3Key: code.s3ObjectKey };
}
app.synth();
