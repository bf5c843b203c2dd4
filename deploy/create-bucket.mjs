// Creates the bucket of STORAGE_URL unless it exists. Waits for a server that starts.
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { bucket } from '../dist/bucket.js';

const address = bucket.parse(process.env.STORAGE_URL ?? '');
if (!address) throw new Error('STORAGE_URL is not the URL of a bucket.');
const { endpoint, region, accessKey, secretKey } = address;
const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey };
const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });

const existing = new Set(['BucketAlreadyOwnedByYou', 'BucketAlreadyExists']);
for (const end = Date.now() + 60_000; ; await sleep(1000)) {
  try {
    await client.send(new CreateBucketCommand({ Bucket: address.bucket }));
    break;
  } catch (error) {
    if (existing.has(error.name)) break;
    if (Date.now() > end) throw error;
  }
}
