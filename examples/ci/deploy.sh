#!/bin/sh
# For any CI, and for a crontab: sh deploy.sh plan | apply | drift, in a clone with its whole history. The job sets HOSTFORM_API_KEY or
# HOSTFORM_KEY_FILE, HOSTFORM_BASE_URL, HOSTFORM_CONTRACT, and for apply the secrets of the manifest. Do not cancel an apply.
set -eu
: "${HOSTFORM_BASE_URL:?set it: the API key goes there, whatever a manifest says}"
: "${HOSTFORM_CONTRACT:?set it, such as v2026}"
case "${1:-}" in
  plan) hostform plan --markdown plan.md ;;
  apply) hostform apply --auto-approve ;;
  # Exit 2: something was changed by hand.
  drift) hostform drift --markdown drift.md ;;
  *)
    echo "Usage: sh deploy.sh plan | apply | drift" >&2
    exit 3
    ;;
esac
