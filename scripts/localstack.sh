#!/usr/bin/env bash
# Deploys the packaged service into LocalStack, as `serverless deploy` does on AWS: a stack with a bucket, the artefacts in the
# bucket, then the whole stack. Runs in LocalStack's container when its services are ready.
# Its event source mapping does not bisect batches: one bad record makes its whole batch fail there until it is given up.
set -euo pipefail

package=${PACKAGE_FOLDER:-/package}
stack=edgeloom-local
create=$package/cloudformation-template-create-stack.json
update=$package/cloudformation-template-update-stack.json

if [ ! -f "$update" ]; then
  echo "Nothing is packaged: run npm run package -- --stage local, then start the container anew." >&2
  exit 1
fi

awslocal cloudformation create-stack --stack-name "$stack" --template-body "file://$create" >/dev/null
awslocal cloudformation wait stack-create-complete --stack-name "$stack"
bucket=$(awslocal cloudformation describe-stack-resource --stack-name "$stack" \
  --logical-resource-id ServerlessDeploymentBucket --query StackResourceDetail.PhysicalResourceId --output text)

# The template says under which keys it expects the artefacts.
grep -o '"S3Key": *"[^"]*"' "$update" | sed 's/.*: *"\(.*\)"/\1/' | sort -u | while read -r key; do
  awslocal s3 cp --quiet "$package/${key##*/}" "s3://$bucket/$key"
done

# The template is longer than what a call may hold.
awslocal s3 cp --quiet "$update" "s3://$bucket/template.json"
awslocal cloudformation update-stack --stack-name "$stack" --capabilities CAPABILITY_NAMED_IAM \
  --template-url "https://s3.amazonaws.com/$bucket/template.json" >/dev/null
awslocal cloudformation wait stack-update-complete --stack-name "$stack"

touch "${DEPLOYED_MARK:-/tmp/edgeloom-deployed}"
echo "The stack $stack is deployed; its table is edgeloom-local-records."
