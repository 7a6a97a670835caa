# The stack of the model, deployed by Terraform: `npm run deploy`. The template is too long for a call, so a bucket holds it.
terraform {
  required_version = ">= 1.10"
  backend "s3" {
    use_lockfile = true
  }
  required_providers {
    archive  = { source = "hashicorp/archive", version = "~> 2.4" }
    aws      = { source = "hashicorp/aws", version = ">= 5.0" }
    external = { source = "hashicorp/external", version = "~> 2.3" }
  }
}

variable "bucket" {
  description = "A bucket for the template and the functions' code: TF_VAR_bucket."
  type        = string
}

data "archive_file" "functions" {
  type        = "zip"
  source_dir  = ".code"
  output_path = "functions.zip"
}

# The hash of the zip is in the key, so that other code is another template.
data "external" "template" {
  program    = ["sh", "-c", "BUCKET=${var.bucket} npm run --silent template | jq '{body: tojson}'"]
  depends_on = [data.archive_file.functions]
}

locals {
  template = jsondecode(data.external.template.result.body)
}

resource "aws_s3_object" "functions" {
  bucket = var.bucket
  key    = local.template.Resources.StreamLambdaFunction.Properties.Code.S3Key
  source = data.archive_file.functions.output_path

  # A deployment that fails is rolled back to the code before.
  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_s3_object" "template" {
  bucket  = var.bucket
  key     = "SERVICE-${sha256(data.external.template.result.body)}.json"
  content = data.external.template.result.body

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_cloudformation_stack" "edgeloom" {
  name         = "SERVICE-prod"
  template_url = "https://${var.bucket}.s3.amazonaws.com/${aws_s3_object.template.key}"
  capabilities = ["CAPABILITY_NAMED_IAM"]
  # No update may replace or delete the table.
  policy_body = file("stack-policy.json")
  depends_on  = [aws_s3_object.functions]

  lifecycle {
    prevent_destroy = true
  }
}

# The provider has no argument for it.
resource "terraform_data" "termination_protection" {
  triggers_replace = [aws_cloudformation_stack.edgeloom.id]

  provisioner "local-exec" {
    command = "aws cloudformation update-termination-protection --stack-name SERVICE-prod --enable-termination-protection"
  }
}
