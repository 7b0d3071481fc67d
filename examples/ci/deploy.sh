#!/bin/sh
# For any CI, and for a crontab: sh deploy.sh plan | apply [HASH] | drift, in a clone with its whole history. The job sets HOSTFORM_API_KEY or
# HOSTFORM_KEY_FILE, HOSTFORM_BASE_URL, HOSTFORM_CONTRACT, and for apply the secrets of the manifest. Do not cancel an apply.
set -eu
for name in HOSTFORM_BASE_URL HOSTFORM_CONTRACT; do
  if ! printenv "$name" | grep -q .; then
    echo "Set $name: a manifest must not decide where the API key goes" >&2
    exit 3
  fi
done
case "${1:-}" in
  plan) hostform plan --markdown plan.md ;;
  # With the hash that a person has approved: that plan, or none. Without it, whoever starts this approves.
  apply) if test $# -gt 1; then hostform apply --approve "$2"; else hostform apply --auto-approve; fi ;;
  # Exit 2: something was changed by hand.
  drift) hostform drift --markdown drift.md ;;
  *)
    echo "Usage: sh deploy.sh plan | apply [HASH] | drift" >&2
    exit 3
    ;;
esac
