#!/bin/sh
# Make an authority and a certificate for the machines of a cluster, in the folder that is named.
#
#     sh certificates.sh FOLDER
#
# Copy ca.pem, node.pem and node.key to all machines, and keep ca.key where nobody else can read it. A certificate for
# each machine, made by the last three commands, can be replaced without the others.
set -eu
umask 077
mkdir -p "$1"
cd "$1"
openssl req -x509 -newkey rsa:3072 -nodes -keyout ca.key -out ca.pem -days 3650 -subj "/CN=wcspider cluster authority"
openssl req -newkey rsa:3072 -nodes -keyout node.key -out node.csr -subj "/CN=wcspider cluster"
openssl x509 -req -in node.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out node.pem -days 825
rm node.csr
